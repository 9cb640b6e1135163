-- Whose reports these are; one row.
create table about (
    one boolean primary key default true check (one),
    deployment bytea not null,
    simulated boolean not null
);
create table periods (
    period text primary key,
    closed boolean not null default false
);
-- Keyed hashes of a user and period, and of that user's report.
create table users (
    period text not null,
    tag bytea not null,
    report bytea not null,
    primary key (period, tag)
);
-- Reports in order of their bytes, until they are added to a state.
create table waiting (
    id bigint generated always as identity primary key,
    period text not null,
    reports bytea not null
);
create table states (
    period text primary key,
    state bytea not null
);
