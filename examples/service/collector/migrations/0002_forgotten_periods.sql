-- Periods that ended long ago lose their hashes of users: a state is all that is left.
alter table periods add column forgotten boolean not null default false;
alter table periods add constraint forgotten_are_closed check (closed or not forgotten);
create index waiting_by_period on waiting (period);
