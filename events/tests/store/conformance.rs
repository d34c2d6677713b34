//! What every engine must do. A new engine is one line in `main.rs`.

pub mod chains;
pub mod durable;
pub mod indexes;
pub mod reading;
pub mod writing;

macro_rules! suite {
    ($($engine:ident: $subject:ty;)*) => { $(
        mod $engine {
            use super::*;
            conformance::checks! { $subject:
                reading::forward_backward_and_all,
                reading::an_empty_log_has_nothing,
                reading::pages_end_at_their_limits,
                reading::an_append_larger_than_a_page,
                writing::a_wrong_version_writes_nothing,
                writing::an_append_is_all_or_nothing,
                writing::malformed_appends_are_refused,
                writing::an_id_lands_once_whatever_the_version,
                writing::sixteen_writers_leave_no_gap,
                writing::large_payloads,
                writing::observers_are_told_in_order,
                writing::an_observer_that_panics_stops_nobody,
                indexes::names_are_claimed_and_freed,
                indexes::two_claims_of_one_name_in_one_group,
                indexes::names_page_in_order,
                indexes::streams_page_in_the_order_in_which_they_began,
                indexes::open_things_count_to_zero,
                chains::the_chains_follow_from_the_records,
                chains::reopened_it_is_the_same,
                durable::reads_never_show_what_is_not_durable,
                durable::a_refused_group_leaves_no_trace,
                durable::a_broken_write_stays_hidden,
                durable::a_future_that_nobody_polls_stops_nobody,
            }
        }
    )* };
}

macro_rules! checks {
    ($subject:ty: $($file:ident::$check:ident,)*) => { $(
        #[tokio::test]
        async fn $check() {
            conformance::$file::$check::<$subject>().await;
        }
    )* };
}

pub(crate) use checks;
pub(crate) use suite;
