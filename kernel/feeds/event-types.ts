import type { z } from 'zod';
import type { NextAction } from '../../core/error-codes.ts';
import type { KeptDays } from '../../db/partitioned/events.ts';

/** For how many days events of each class are kept. Contract 02, section 1.4. */
export const keptDays = {
  lifecycle: 90,
  coordination: 90,
  billing: 90,
  app: 90,
  security: 365,
  recovery: 365,
  billing_critical: 365,
  destructive_lifecycle: 90,
  verification: 90,
  platform_incident: 90,
} as const satisfies Readonly<Record<string, KeptDays>>;

/** How an event is treated: how long it is kept, and whom it may be routed to. */
export type EventClass = keyof typeof keptDays;

/** What an event is about: a project, the organization as a whole, or either. */
type EventLevel = 'project' | 'org' | 'any';

/** A kind of fact that the platform tells of. */
export interface EventType<Payload extends z.ZodObject = z.ZodObject> {
  /** For example `deploy_activated`. */
  readonly name: string;
  readonly class: EventClass;
  readonly level: EventLevel;
  /** How people call it. @default the words of its name */
  readonly title?: string;
  /** Ids and verdict fields: an event points at what it is about. */
  readonly payload: Payload;
  /**
   * Whether whoever answers for it is told of it beside the feed: `critical` unless they want no notices of what happens,
   * `ordinary` if they want all. Of some classes they are told whatever they want, see {@link urgencyOf}, except where
   * another event tells them: `none`. @default `none`
   */
  readonly notice?: 'critical' | 'ordinary' | 'none';
  /** Where to look next. @default nowhere */
  readonly nextActions?: (event: TypedEvent<z.output<Payload>>) => readonly NextAction[];
}

/** Classes of which whoever answers for it is told by mail, whatever they want. Contract 02, section 5.0. */
const mandatory: ReadonlySet<EventClass> = new Set([
  'security',
  'recovery',
  'billing_critical',
  'destructive_lifecycle',
  'verification',
]);

/** How urgent a notice of an event is; undefined where there is none. */
export function urgencyOf({ class: eventClass, notice }: Pick<EventType, 'class' | 'notice'>) {
  if (notice === 'none') return undefined;
  return mandatory.has(eventClass) ? 'mandatory' : notice;
}

interface TypedEvent<Payload> {
  readonly orgId: string;
  readonly projectId: string | null;
  readonly payload: Payload;
}

const known = new Map<string, EventType>();

/** Every type that was declared, by its name: what is read back is looked up here, and no application may take a name. */
export const eventTypes: ReadonlyMap<string, EventType> = known;

/** What people call an event: as its domain says, else the words of its name. */
export const titleOf = (type: string): string =>
  known.get(type)?.title ?? `${type[0]!.toUpperCase()}${type.slice(1).replaceAll('_', ' ')}`;

/** An identity function: the compiler infers the payload that the next actions are made of. */
export const event = <Payload extends z.ZodObject>(type: Omit<EventType<Payload>, 'name'>) => type;

/**
 * Declares what a domain tells of, by the name of each type.
 *
 * @throws TypeError for a name that another domain has taken
 */
// biome-ignore lint/suspicious/noExplicitAny: a table holds payloads of every form.
export function events<Table extends Readonly<Record<string, Omit<EventType<any>, 'name'>>>>(table: Table) {
  for (const [name, type] of Object.entries(table)) {
    if (known.has(name)) throw new TypeError(`Two domains declare the event ${name}.`);
    known.set(name, { name, ...type });
  }
  const own = Object.keys(table).map((name) => [name, known.get(name)]);
  return Object.fromEntries(own) as { readonly [Name in keyof Table]: Table[Name] & { readonly name: string } };
}
