import type { z } from 'zod';
import type { PgTable, SQL } from '../../db/drizzle.ts';
import type { AnyOperation, Declarations } from './operation.ts';
import type { Task } from './task.ts';

/** Work behind the scenes, as the job queue knows it. */
export interface Job {
  /** The name that it is enqueued under. */
  readonly task: string;
  readonly run: Task;
  /** Runs when workers start and every so many minutes. @default only when it is enqueued */
  readonly everyMinutes?: number;
}

/** Rows that housekeeping deletes. */
export interface Expiry {
  readonly table: PgTable;
  /** Which rows have expired. An index has to serve the condition, since housekeeping reads the table every ten minutes. */
  readonly when: SQL;
  /** Distinguishes the rows from others of the same table that expire by another condition. */
  readonly which?: string;
}

/** What users of a project do there, by the project's key. Its domain runs it, see `resolvers/auth/endpoint.ts`. */
export interface DeclaredEndpoint {
  /** Dotted and stable, for example `auth.signup`. */
  readonly name: string;
  /** One sentence, shown wherever it is offered. */
  readonly summary: string;
  readonly input: z.ZodObject;
  /** The documented JSON of the answer. */
  readonly wire: z.ZodType;
}

/** A system of the platform. Every list of operations, errors, actions, events and jobs is made from the domains. */
export interface Domain extends Declarations {
  readonly name: string;
  readonly operations?: readonly AnyOperation[];
  /**
   * Operations by which people sign in, prove themselves anew and sign out. They are declared and run as all others are.
   * They have no field and no tool: a person's browser takes part in each, and the answer is for one client alone.
   */
  readonly signInFlows?: readonly AnyOperation[];
  readonly endpoints?: readonly DeclaredEndpoint[];
  readonly jobs?: readonly Job[];
  readonly expires?: readonly Expiry[];
  /** What else housekeeping does every ten minutes, by a name for the log. */
  readonly housekeeping?: Readonly<Record<string, Task>>;
}

/** Declares a system of the platform. What operations declare as their own belongs to it, too. */
export function domain(name: string, parts: Omit<Domain, 'name'>): Domain {
  const { operations = [], signInFlows = [] } = parts;
  const owners = [parts, ...[...operations, ...signInFlows].map(({ own = {} }: AnyOperation) => own)];
  const all = <Part extends keyof Declarations>(part: Part): NonNullable<Declarations[Part]> =>
    Object.assign({}, ...owners.map((owner: Declarations) => owner[part]));
  return { name, ...parts, errors: all('errors'), actions: all('actions'), events: all('events') };
}
