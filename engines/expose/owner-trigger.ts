import { createHash } from 'node:crypto';
import { quoteIdentifier } from '../rows/sql/sql.ts';
import { mark } from './facts.ts';
import { callerId } from './policies.ts';

/** Longest name that PostgreSQL keeps whole, in bytes; a manifest's names are ASCII. */
const nameMax = 63;

/** Names of the trigger and the function that fill a table's owners in. Contract 01, section 2.11. */
export const ownerTriggerNames = (table: string) => ({
  trigger: suffixed(table, '_set_owner'),
  function: suffixed(table, '_set_owner_fn'),
});

/** A long name gives way to the suffix, and stays apart from those that begin alike. */
function suffixed(table: string, suffix: string): string {
  if (table.length + suffix.length <= nameMax) return table + suffix;
  const tail = createHash('sha256').update(table).digest('hex').slice(0, 8);
  return `${table.slice(0, nameMax - suffix.length - tail.length - 1)}_${tail}${suffix}`;
}

/** Fills the owner in where none is named; a request without a user names none, so it stays empty. */
export function ownerTrigger(table: string, owner: string, ownerType: string): string[] {
  const names = ownerTriggerNames(table);
  const column = quoteIdentifier(owner);
  const [trigger, made, on] = [quoteIdentifier(names.trigger), quoteIdentifier(names.function), quoteIdentifier(table)];
  return [
    `create or replace function public.${made}() returns trigger language plpgsql set search_path to '' as $svc$
begin
  if new.${column} is null then new.${column} := ${callerId(ownerType)}; end if;
  return new;
end $svc$`,
    `comment on function public.${made}() is '${mark}'`,
    `create or replace trigger ${trigger} before insert on public.${on} for each row execute function public.${made}()`,
    `comment on trigger ${trigger} on public.${on} is '${mark}'`,
  ];
}
