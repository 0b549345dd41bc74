import type { Actor } from '../helpers/actors.ts';
import type { Service } from '../helpers/service.ts';
import type { stageMembers } from './member-stage.ts';

/** A change as the audit's own test tries it: each file beside this one lists those of a domain. */
export interface Change {
  readonly operation: string;
  readonly action: string;
  readonly kind: string;
  /** Sends the change, and the id of what it made. */
  readonly send: (actor: Actor) => Promise<{ status: number; headers: Headers; body: Record<string, string> }>;
  readonly objectId: (body: Record<string, string>) => string;
  /** A row that only this change wrote, with the transaction that wrote it. */
  readonly written: string;
  /** Makes what it needs to find. */
  readonly prepare?: () => Promise<unknown>;
  /** Makes it possible once more. */
  readonly restore?: () => Promise<unknown>;
}

export interface Changes {
  readonly changes: readonly Change[];
  /** Operations that a service key may do, too. */
  readonly withServiceKey?: readonly string[];
  /** Operations that whoever holds a link may do, whatever credential comes along. */
  readonly byLink?: readonly string[];
  /** Operations that are a service key's alone. */
  readonly keyOnly?: readonly string[];
  /** Operations that are the platform admin's. */
  readonly adminOnly: readonly string[];
  /** Makes what the changes need to find. */
  readonly prepare?: () => Promise<unknown>;
}

/** Where changes take place. */
export type Home = () => {
  readonly orgId: string;
  readonly projectId: string;
  readonly wallet: Actor & { address: string };
  readonly members: Awaited<ReturnType<typeof stageMembers>>;
};

/** Sends one request, its path and body as they are by then. */
export const sender =
  (service: Service) =>
  (
    method: string,
    path: () => string,
    body: () => object = () => ({}),
    headers: () => Record<string, string> = () => ({}),
  ) =>
  (actor: Actor) =>
    service.call<Record<string, string>>(actor, method, path(), { body: body(), headers: headers() });
