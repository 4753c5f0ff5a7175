#include "model/torch/guard.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <new>

namespace tacit::torch_backend {
namespace {

std::string FirstLine(std::string text) {
  text.resize(std::min(text.find('\n'), text.size()));
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text.empty() ? "an error without a message" : text;
}

}  // namespace

std::string DescribeCurrentException() {
  try {
    throw;
  } catch (const c10::Error& error) {
    return FirstLine(error.what_without_backtrace());
  } catch (const std::bad_alloc&) {
    return "out of memory";
  } catch (const std::exception& error) {
    return FirstLine(error.what());
  } catch (...) {
    return "an unknown exception";
  }
}

}  // namespace tacit::torch_backend
