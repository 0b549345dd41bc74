import { createLink, type Link } from '../graph/link.ts';
import { forgetAll, hearKept, keep, recall } from '../kept.ts';
import { createStore } from '../store.ts';
import { byPerson, bySigner, type Opening } from './opening.ts';
import { endSession, findPerson, type Person } from './person.ts';
import { forgetProofs } from './proof.ts';
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

/** How the names begin under which a tab keeps what its owner was writing. */
export const draftNames = 'svc.console.draft ';

/** Anew each time somebody signs out, and each time a session was found to be over: other tabs hear of it. */
const signedOut = 'svc.console.signed-out';
const ended = 'svc.console.session-ended';
/** The last signing out that this tab knows of. */
let signedOutBefore: string | null = null;

/** How often a page that is shown looks whether the session goes on, in milliseconds. */
const lookMs = 60_000;

const remembered = 'svc.console.signed-in-by';

/** By what the last one was in: a wallet of this id, the page's own `key`, or a `person`. */
const lastBy = (): string | null => recall(remembered);

export const session = createStore<Session>({ state: 'out' });

/** Whether the page's own key was signed in with before: it does so again without being asked. */
export const wasKey = (): boolean => lastBy() === 'key';

/** Lets in whoever needs not be asked. To be called once, before anything is shown. */
export async function begin(): Promise<void> {
  followTabs();
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
  const refused = (why: string) => {
    leave(why);
    if (member.kind === 'person') keep(ended, crypto.randomUUID());
  };
  signedOutBefore = recall(signedOut);
  session.set({ state: 'in', member, link: createLink(opening, refused) });
}

/**
 * Leaves the console in this tab: the page of signing in is shown, and what was read or approved is forgotten. A session
 * of the browser goes on, and so do drafts, which their writer finds again.
 *
 * @param why said to who did not ask for it
 */
export function leave(why?: string): void {
  const current = session.get();
  keep(remembered, null);
  forgetProofs();
  session.set({ state: 'out', why });
  if (current.state === 'in') current.link.close();
}

/** Leaves the console in all tabs of this browser, and forgets drafts. */
export function leaveEverywhere(): void {
  keep(signedOut, crypto.randomUUID());
  leave();
  forgetAll(draftNames, 'session');
}

/** Goes with the other tabs of this browser. A tab that slept heard nothing, so it looks for itself when it is shown. */
function followTabs(): void {
  const leaveToo = () => {
    if (session.get().state === 'in') leave('You signed out in another tab.');
    forgetAll(draftNames, 'session');
  };
  const look = () => {
    const current = session.get();
    if (current.state !== 'in') return;
    if (recall(signedOut) === signedOutBefore) void current.link.doubt();
    else leaveToo();
  };
  const lookIfShown = () => {
    if (document.visibilityState === 'visible') look();
  };
  hearKept(signedOut, leaveToo);
  hearKept(ended, look);
  document.addEventListener('visibilitychange', lookIfShown);
  addEventListener('pageshow', lookIfShown);
  setInterval(lookIfShown, lookMs);
}

/** Signs out: a session of this browser ends with it. */
export async function signOut(): Promise<void> {
  const current = session.get();
  if (current.state !== 'in') return;
  const { member } = current;
  leaveEverywhere();
  if (member.kind !== 'person') return;
  await endSession(member).catch(() =>
    session.set({
      state: 'out',
      person: member,
      why: 'The gateway did not answer: you are still signed in with this browser. Go on, and sign out again.',
    }),
  );
}
