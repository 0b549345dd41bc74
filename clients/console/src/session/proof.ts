import type { Envelope } from '../graph/envelope.ts';
import { createStore } from '../store.ts';
import type { Person } from './person.ts';

/** The proof that a session needs before it makes a change. */
export type Wanted =
  | { readonly kind: 'fresh'; readonly opClass: string }
  | { readonly kind: 'approval'; readonly action: string; readonly target: Readonly<Record<string, string>> };

/** The proof: for an approval, the value to send with the change. */
export interface Proof {
  readonly approval?: string;
}

export interface Question {
  readonly person: Person;
  readonly wanted: Wanted;
  /** Called with undefined when the person declines. */
  readonly answer: (proof: Proof | undefined) => void;
}

/** The question that is currently open. */
export const question = createStore<Question | undefined>(undefined);

/** Reads from a refusal which proof the session needs; undefined for any other refusal. */
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

/** Given approvals by subject. They live only as long as the page. */
const approvals = new Map<string, string>();
const nameOf = (person: Person, wanted: Wanted) => JSON.stringify([person.principalId, person.csrf, wanted]);

/** An earlier approval of the same subject; it may have expired since. */
export const knownApproval = (person: Person, wanted: Wanted): string | undefined =>
  approvals.get(nameOf(person, wanted));

/** Forgets all approvals and closes the open question, because the person has signed out. */
export function forgetProofs(): void {
  approvals.clear();
  question.get()?.answer(undefined);
}

/** Asks the person for a proof. @returns undefined when they decline, or when another question is open */
export async function prove(person: Person, wanted: Wanted): Promise<Proof | undefined> {
  if (question.get() !== undefined) return undefined;
  const proof = await new Promise<Proof | undefined>((answer) => question.set({ person, wanted, answer }));
  question.set(undefined);
  if (proof?.approval !== undefined) approvals.set(nameOf(person, wanted), proof.approval);
  return proof;
}
