# cmake -DPROGRAM=FILE -P links_no_torch.cmake: fails if the program loads LibTorch, directly or through another library.
execute_process(COMMAND ldd ${PROGRAM} OUTPUT_VARIABLE libraries COMMAND_ERROR_IS_FATAL ANY)
if(NOT libraries MATCHES "libstdc\\+\\+")
  message(FATAL_ERROR "ldd tells nothing of ${PROGRAM}:\n${libraries}")
endif()
string(REGEX MATCHALL "lib(torch|c10|caffe2)[^ \n]*" torch "${libraries}")
if(torch)
  message(FATAL_ERROR "${PROGRAM} links LibTorch: ${torch}")
endif()
