import { createLink, type Link } from '../graph/link.ts';
import { forgetAll, hearKept, keep, recall } from '../kept.ts';
import { createStore } from '../store.ts';
import { byPerson, bySigner, type Opening } from './opening.ts';
import { endSession, findPerson, type Person } from './person.ts';
import { forgetProofs } from './proof.ts';
import { type Signer, signIn } from './siwx.ts';

/** A signed-in member: by their own signature, or by a session of this browser. */
export type Member = Signer | Person;

/** The member and how they signed in. */
export type Session =
  | {
      readonly state: 'out';
      readonly why?: string | undefined;
      /** The wallet that signed before the page was reloaded, and has to sign again. */
      readonly walletId?: string | undefined;
      /** The person who is signed in with this browser, and can continue as such. */
      readonly person?: Person | undefined;
    }
  | { readonly state: 'in'; readonly member: Member; readonly link: Link };

/** Prefix of the names under which a tab stores its drafts. */
export const draftNames = 'svc.console.draft ';

/** Changes each time a member signs out or a session turns out to be over. Other tabs listen for it. */
const signedOut = 'svc.console.signed-out';
const ended = 'svc.console.session-ended';
/** The last sign-out that this tab knows. */
let signedOutBefore: string | null = null;

/** Interval at which a visible page checks its session, in milliseconds. */
const lookMs = 60_000;

const remembered = 'svc.console.signed-in-by';

/** How the last member signed in: the id of a wallet, `key` for the page's own key, or `person`. */
const lastBy = (): string | null => recall(remembered);

export const session = createStore<Session>({ state: 'out' });

/** Whether the last sign-in used the page's own key: it then signs in again without a question. */
export const wasKey = (): boolean => lastBy() === 'key';

/** Signs in a member who needs no question. Called once, before the page shows anything. */
export async function begin(): Promise<void> {
  followTabs();
  const by = lastBy();
  const person = await findPerson().catch(() => undefined);
  if (person !== undefined && (by === null || by === 'person')) return enterAs(person);
  session.set({ state: 'out', walletId: by === null || by === 'key' || by === 'person' ? undefined : by, person });
}

/**
 * Signs in. One signature opens the one connection for everything, so a wallet prompts once, not for each change.
 *
 * @param id identifies a wallet after a reload
 */
export async function enter(signer: Signer, id: string): Promise<void> {
  open(signer, bySigner(signer, await signIn(signer)), signer.kind === 'key' ? 'key' : id);
}

/** Continues as the person who is signed in with this browser. */
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
 * Leaves the console in this tab: shows the sign-in page and forgets loaded data and approvals. A session of the
 * browser continues. Drafts remain for their author.
 *
 * @param why shown to a member who did not sign out on purpose
 */
export function leave(why?: string): void {
  const current = session.get();
  keep(remembered, null);
  forgetProofs();
  session.set({ state: 'out', why });
  if (current.state === 'in') current.link.close();
}

/** Leaves the console in all tabs of this browser, and deletes the drafts. */
export function leaveEverywhere(): void {
  keep(signedOut, crypto.randomUUID());
  leave();
  forgetAll(draftNames, 'session');
}

/**
 * Follows sign-outs in other tabs of this browser. A suspended tab receives no events, so it checks when it is shown.
 */
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

/** Signs out. This also ends a session of this browser. */
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
