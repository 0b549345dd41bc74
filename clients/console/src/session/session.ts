import { createLink, type Link } from '../graph/link.ts';
import { forgetOwn, forgetTyped, hearKept, keep, keepFor, recall } from '../kept.ts';
import { loadSettings } from '../settings.ts';
import { createStore } from '../store.ts';
import { byPerson, bySigner, type Opening } from './opening.ts';
import { endSession, findPerson, type Person } from './person.ts';
import { forgetProofs } from './proof.ts';
import { type Signer, signIn } from './siwx.ts';

/** A signed-in member: by their own signature, or by a session of this browser. */
export type Member = Signer | Person;

/** A member who is in, with the connection. */
interface Entered {
  readonly member: Member;
  readonly link: Link;
}

/** The member and how they signed in. */
export type Session =
  /** The gateway has not said yet who is signed in with this browser, since it does not answer. */
  | { readonly state: 'away'; readonly retry: () => void }
  | {
      readonly state: 'out';
      readonly why?: string | undefined;
      /** Whose session ended without their doing. Their pages wait out of sight, with what was typed, until they are back. */
      readonly waiting?: Entered | undefined;
      /** The wallet that signed before the page was reloaded, and has to sign again. */
      readonly walletId?: string | undefined;
      /** The person who is signed in with this browser, and can continue as such. */
      readonly person?: Person | undefined;
    }
  | ({ readonly state: 'in' } & Entered);

/** Names a member, so that the pages of one are never shown to another. */
export const idOf = (member: Member): string =>
  member.kind === 'person' ? member.principalId : member.address.toLowerCase();

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

/** The member whose pages are shown, or wait for them behind the sign-in page. */
export function shownMember(): Member | undefined {
  const current = session.get();
  if (current.state === 'in') return current.member;
  return current.state === 'out' ? current.waiting?.member : undefined;
}

/** Whether the last sign-in used the page's own key: it then signs in again without a question. */
export const wasKey = (): boolean => lastBy() === 'key';

/**
 * Signs in a member who needs no question. Called once, before the page shows anything. While the gateway does not answer,
 * it is asked again until it does.
 */
export async function begin(): Promise<void> {
  followTabs();
  await beginOnce(firstPauseMs);
}

/** The pause before the gateway is asked again, in milliseconds. It doubles up to `longestPauseMs`. */
const firstPauseMs = 1_000;
const longestPauseMs = 10_000;

async function beginOnce(pauseMs: number): Promise<void> {
  const answers = await Promise.all([loadSettings(), findPerson()]).catch(() => undefined);
  // A proxy may answer in place of the gateway, and the gateway fails while its database is away.
  if (answers === undefined) return waitForGateway(pauseMs);
  const [, person] = answers;
  const by = lastBy();
  if (person !== undefined && (by === null || by === 'person')) return enterAs(person);
  session.set({ state: 'out', walletId: by === null || by === 'key' || by === 'person' ? undefined : by, person });
}

function waitForGateway(pauseMs: number): void {
  const over = new AbortController();
  const retry = () => {
    if (over.signal.aborted) return;
    over.abort();
    clearTimeout(timer);
    void beginOnce(Math.min(pauseMs * 2, longestPauseMs));
  };
  const timer = setTimeout(retry, pauseMs);
  addEventListener('online', retry, { signal: over.signal });
  session.set({ state: 'away', retry });
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
  const current = session.get();
  // A second press or a slower answer opens no second connection.
  if (current.state === 'in') return;
  const waiting = current.state === 'out' ? current.waiting : undefined;
  keep(remembered, by);
  keepFor(idOf(member));
  signedOutBefore = recall(signedOut);
  if (waiting !== undefined && idOf(waiting.member) === idOf(member)) {
    session.set({ state: 'in', member, link: waiting.link });
    waiting.link.resume(opening);
    return;
  }
  waiting?.link.close();
  session.set({ state: 'in', member, link: createLink(opening, { over: (why) => wait(member, why), refused: leave }) });
}

/** Shows the sign-in page, since the session ended. The member's pages wait behind it. */
function wait(member: Member, why: string): void {
  const current = session.get();
  if (current.state !== 'in') return;
  keep(remembered, null);
  forgetProofs();
  session.set({ state: 'out', why, waiting: { member: current.member, link: current.link } });
  if (member.kind === 'person') keep(ended, crypto.randomUUID());
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
  else if (current.state === 'out') current.waiting?.link.close();
}

/** Leaves the console in all tabs of this browser, and deletes what the member wrote. */
export function leaveEverywhere(): void {
  keep(signedOut, crypto.randomUUID());
  leave();
  forgetOwn();
}

/**
 * Follows sign-outs in other tabs of this browser. A suspended tab receives no events, so it checks when it is shown.
 */
function followTabs(): void {
  const leaveToo = () => {
    const current = session.get();
    if (current.state === 'in' || (current.state === 'out' && current.waiting !== undefined))
      leave('You signed out in another tab.');
    forgetTyped();
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
      why: 'The gateway did not end the session: you are still signed in with this browser. Go on, and sign out again.',
    }),
  );
}
