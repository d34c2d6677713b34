//! Dispatch from the outside: the built binary, real sockets, a real disk, and the far sides that it talks to.
//!
//! | module | what it holds |
//! |---|---|
//! | `conversation` | a recalled fact shapes the request and nothing else, over kills, restarts and lost caches |
//! | `recall` | what the model repeats of a recalled block, and what the backend may do to a turn |
//! | `kills` | SIGKILL at random moments under load: what was acknowledged is there, once |
//! | `obligations` | writes that are owed to the memory backend |
//! | `command_line` | `chat` and `submit` through a host, and with none |
//! | `engines` | the engine that the settings name, and the one that a log was written with |
//! | `audits` | the check of the log, anchors, indexes made again |
//! | `log_file`, `log_copy`, `backups`, `erasure` | the whole log in a file, in another engine, in a backup; a session that goes for good |
//! | `erased_bytes` | no byte of an erased session is left, kills included |
//! | `starts` | a host that starts, and one that says why it does not |
//! | `bad_requests`, `bad_models` | errors that name the cause and the next step, and a host that stays up |
//! | `openai`, `idempotency`, `racing`, `retries` | the OpenAI door |
//! | `replay`, `feed` | every view at every version; events that resume without a gap |
//! | `tools` | tools over the wire, against a vendor that refuses what is malformed |
//! | `history` | what a person changes of a session's past, forks, withdrawn inputs |
//! | `full_disk` | the disk fills under a running host, and is empty again |
//! | `secrets` | keys and tokens are nowhere but where they belong |

#![expect(clippy::unwrap_used, reason = "a test says what went wrong by failing")]

mod audits;
mod backups;
mod bad_models;
mod bad_requests;
mod command_line;
mod conversation;
mod engines;
mod erased_bytes;
mod erasure;
mod feed;
#[cfg(target_os = "linux")]
mod full_disk;
mod history;
mod idempotency;
mod kills;
mod log_copy;
mod log_file;
mod obligations;
mod openai;
mod racing;
mod recall;
mod replay;
mod retries;
mod secrets;
mod starts;
mod support;
mod tools;
