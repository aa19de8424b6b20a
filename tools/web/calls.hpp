// The calls of the engine. Each takes the question and gives what stands under "ok" in the answer.
#pragma once

#include "gradproof/core/check/json.hpp"

namespace gradproof::web {

using check::Json;

// Of the board: one draw of a derivation, kept between the calls about the same text.
Json explain(const Json& question);  ///< text -> an array, an explanation each
Json cell(const Json& question);     ///< text cell -> the entry as the products summed into it
Json values(const Json& question);   ///< text gradients[] -> an array, {forward[], backward[]} each
Json nudge(const Json& question);    ///< text entry at? reach? steps[] -> the loss along one entry; nudge.cpp

// Of a layer of attention over more and more words; words.cpp.
Json words(const Json& question);       ///< words -> {rows[{what few many times}] curves{projecting[] attending[] all[]}}
Json words_time(const Json& question);  ///< words -> {few many times}: ms of a forward here, of 10 words and of these

// Of the judge.
Json check(const Json& question);         ///< file text chain? -> as `gradproof check --json`
Json derive(const Json& question);        ///< file text -> {text}: a derivation with its gradients as claims
Json print(const Json& question);         ///< file text as -> {text}: in another notation, or as a program
Json latex(const Json& question);         ///< text formulas[] -> an array, each in LaTeX, or null
Json library(const Json& question);       ///< -> the derivations that come with the program, [{name title}]
Json library_text(const Json& question);  ///< name -> {text}
Json exercises(const Json& question);     ///< set? -> all of them
Json hints(const Json& question);         ///< exercise set? own? -> [text]; own: as written, without the solution
Json judge(const Json& question);         ///< exercise set? answer why? repair? -> as `gradproof exercise check --json`

// Of the training film; film.cpp, film_proof.cpp.
Json film_start(const Json& question);  ///< model? -> what is trained: {epochs steps count parameters[] validation}
Json film_epoch(const Json& question);  ///< -> the next epoch: {epoch loss validation gradient_norm gradients[]}
Json film_look(const Json& question);   ///< expression epoch? -> the answer, A and dS with the parameters of that epoch
Json film_proof(const Json& question);  ///< expression epoch? head? -> {text}: a head, or the answer, as a derivation

// Of the reader's own texts and arrays; sheet_calls.cpp.
Json replay(const Json& question);         ///< text -> as `gradproof replay --json --corrected`
Json documents(const Json& question);      ///< -> the teaching texts that come with the program, [{name title}]
Json document_text(const Json& question);  ///< name -> {text}
Json npy(const Json& question);            ///< name bytes[] -> {text}: a matrix as a derivation states it

// Of the bug lab; descent.cpp.
Json descent(const Json& question);  ///< text moves rate steps -> {losses[]}: an input moved by the gradient that the claims give

/// A text of the question; "" where it has none. Errors: ValueError.
std::string text_in(const Json& question, const char* key);

}  // namespace gradproof::web
