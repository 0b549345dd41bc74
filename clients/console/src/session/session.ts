import { createLink, type Link } from '../graph/link.ts';
import { keep, recall } from '../kept.ts';
import { createStore } from '../store.ts';
import { byPerson, bySigner, type Opening } from './opening.ts';
import { endSession, findPerson, type Person } from './person.ts';
import { type Signer, signIn } from './siwx.ts';

/** Somebody who is in: by a signature of theirs, or by a session of this browser. */
export type Member = Signer | Person;

/** Who is signed in, and by what. */
export type Session =
  | {
      readonly state: 'out';
      readonly why?: string | undefined;
      /** The wallet that signed before the page was loaded anew, and has to sign again. */
      readonly walletId?: string | undefined;
      /** Who is signed in with this browser, and could go on as that. */
      readonly person?: Person | undefined;
    }
  | { readonly state: 'in'; readonly member: Member; readonly link: Link };

const remembered = 'svc.console.signed-in-by';

/** By what the last one was in: a wallet of this id, the page's own `key`, or a `person`. */
const lastBy = (): string | null => recall(remembered);

export const session = createStore<Session>({ state: 'out' });

/** Whether the page's own key was signed in with before: it does so again without being asked. */
export const wasKey = (): boolean => lastBy() === 'key';

/** Lets in whoever needs not be asked. To be called once, before anything is shown. */
export async function begin(): Promise<void> {
  const by = lastBy();
  const person = await findPerson().catch(() => undefined);
  if (person !== undefined && (by === null || by === 'person')) return enterAs(person);
  session.set({ state: 'out', walletId: by === null || by === 'key' || by === 'person' ? undefined : by, person });
}

/**
 * Signs in. One signature opens the one connection that everything goes by, so that a wallet asks once and not for each
 * change.
 *
 * @param id by which a wallet is found again
 */
export async function enter(signer: Signer, id: string): Promise<void> {
  open(signer, bySigner(signer, await signIn(signer)), signer.kind === 'key' ? 'key' : id);
}

/** Goes on as who is signed in with this browser. */
export const enterAs = (person: Person): void => open(person, byPerson(person), 'person');

function open(member: Member, opening: Opening, by: string): void {
  keep(remembered, by);
  session.set({ state: 'in', member, link: createLink(opening, leave) });
}

/** Leaves the console; a session of the browser goes on. @param why said to who did not ask for it */
export function leave(why?: string): void {
  const current = session.get();
  keep(remembered, null);
  session.set({ state: 'out', why });
  if (current.state === 'in') current.link.close();
}

/** Signs out: a session of this browser ends with it. */
export async function signOut(): Promise<void> {
  const current = session.get();
  if (current.state !== 'in') return;
  const { member } = current;
  leave();
  if (member.kind !== 'person') return;
  await endSession(member).catch(() =>
    session.set({
      state: 'out',
      person: member,
      why: 'The gateway did not answer: you are still signed in with this browser. Go on, and sign out again.',
    }),
  );
}
