//! The gateway on a real socket, in front of a host over the in-memory log with a scripted model.

mod api;
mod care;
mod chat;
mod client;
mod entry;
mod feed;
mod limits;
mod ready;
mod rig;
mod stream;
mod table;
