import type { Envelope } from '../graph/envelope.ts';
import { createStore } from '../store.ts';
import type { Person } from './person.ts';

/** What a session has to prove before a change is made by it. */
export type Wanted =
  | { readonly kind: 'fresh'; readonly opClass: string }
  | { readonly kind: 'approval'; readonly action: string; readonly target: Readonly<Record<string, string>> };

/** What came of it: for an approval, what goes along with the change. */
export interface Proof {
  readonly approval?: string;
}

export interface Question {
  readonly person: Person;
  readonly wanted: Wanted;
  /** Undefined when they would rather not. */
  readonly answer: (proof: Proof | undefined) => void;
}

/** What somebody is being asked for. */
export const question = createStore<Question | undefined>(undefined);

/** What a refusal asks a session to prove; undefined for any other refusal. */
export function wantedBy({ code, details }: Envelope): Wanted | undefined {
  if (code === 'STEP_UP_REQUIRED' && details.reason !== 'device_flow_forbidden')
    return { kind: 'fresh', opClass: String(details.op_class) };
  if (code !== 'WRITE_AUTH_REQUIRED') return undefined;
  const { action, ...rest } = details;
  const target = Object.fromEntries(
    Object.entries(rest).filter((pair): pair is [string, string] => /^(org|project)_id$/.test(pair[0])),
  );
  return { kind: 'approval', action: String(action), target };
}

/** Approvals that were given, by what they are for. They live no longer than the page. */
const approvals = new Map<string, string>();
const nameOf = (person: Person, wanted: Wanted) => JSON.stringify([person.principalId, person.csrf, wanted]);

/** An approval that was given before for the same; it may have ended meanwhile. */
export const knownApproval = (person: Person, wanted: Wanted): string | undefined =>
  approvals.get(nameOf(person, wanted));

/** Forgets what was approved, and takes back what is being asked: who gave it is signed out. */
export function forgetProofs(): void {
  approvals.clear();
  question.get()?.answer(undefined);
}

/** Has the person asked. @returns undefined when they would rather not, or are being asked already */
export async function prove(person: Person, wanted: Wanted): Promise<Proof | undefined> {
  if (question.get() !== undefined) return undefined;
  const proof = await new Promise<Proof | undefined>((answer) => question.set({ person, wanted, answer }));
  question.set(undefined);
  if (proof?.approval !== undefined) approvals.set(nameOf(person, wanted), proof.approval);
  return proof;
}
