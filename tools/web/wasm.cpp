// The one function that the page calls.
#include "tools/web/engine.hpp"

/// The answer stands until the next call.
extern "C" const char* gradproof_answer(const char* question) {
    static std::string answered;
    answered = gradproof::web::answer(question);
    return answered.c_str();
}
