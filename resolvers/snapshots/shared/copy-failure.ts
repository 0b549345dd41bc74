import pg from 'pg';
import { ServiceError } from '../../../core/errors.ts';
import { isConnectionLoss } from '../../../db/connection-loss.ts';
import { DifferentRowsError } from '../../../engines/copies/load-rows.ts';
import { DamagedPartError } from '../../../engines/copies/parts.ts';
import { MissingObjectError } from '../../../engines/objects/object-store.ts';
import { UnrestorableError } from './fill-draft.ts';

/** How often a copy is begun, before it is given up. */
export const attemptsMax = 5;

/** Pause before the next attempt, in seconds. */
export const pauseAfter = (attempts: number): number => 2 ** attempts;

const lengthMax = 1_000;

/** Whether another attempt may succeed: what the database has refused, or what is damaged, stays so. */
export function mayPass(error: unknown): boolean {
  if (isConnectionLoss(error)) return true;
  if (lasting.some((kind) => error instanceof kind)) return false;
  return !(error instanceof pg.DatabaseError) || exchanging.has(error.code ?? '');
}

/** What another attempt would find again. */
const lasting = [DifferentRowsError, DamagedPartError, MissingObjectError, UnrestorableError];

/** SQLSTATEs of a database that is being exchanged for another one. */
const exchanging = new Set(['3D000', '55000', '55006']);

/** What a project is told of why its copy came to nothing: its own database's words, and nothing of the platform's machines. */
export function reasonOf(error: unknown): string {
  const told = tellable(error) ? (error as Error).message : 'The platform could not do it now. Try again later.';
  return told.length > lengthMax ? `${told.slice(0, lengthMax - 1)}…` : told;
}

const named = new Set([
  'DumpError',
  'LargeDefinitionsError',
  'DifferentRowsError',
  'DamagedPartError',
  'MovedError',
  'LateError',
  'UnrestorableError',
]);

function tellable(error: unknown): boolean {
  if (error instanceof ServiceError) return true;
  if (error instanceof pg.DatabaseError) return !isConnectionLoss(error);
  return error instanceof Error && named.has(error.name);
}
