/**
 * Migrations of the project's own schema that were run. One inside a transaction writes its row there; one outside of any
 * says first that it has begun, so that what a crash left half done is known.
 */
export const migrationStatements: readonly string[] = [
  `create table _svc.migrations (
    id text primary key,
    checksum text not null,
    state text not null check (state in ('started', 'applied')),
    operation_id text not null,
    applied_at timestamptz not null default now())`,
  'grant select, insert, update on _svc.migrations to service_role',
];
