import { createLink, type Link } from '../graph/link.ts';
import { createStore } from '../store.ts';
import { type Signer, signIn } from './siwx.ts';

/** Who is signed in, and by what. */
export type Session =
  | { readonly state: 'out'; readonly why?: string | undefined }
  /** Signed in before the page was loaded anew, by a wallet that has to sign again. */
  | { readonly state: 'returning'; readonly walletId: string }
  | { readonly state: 'in'; readonly signer: Signer; readonly link: Link };

const remembered = 'svc.console.signed-in-by';

export const session = createStore<Session>(firstState());

function firstState(): Session {
  const by = localStorage.getItem(remembered);
  return by === null || by === 'key' ? { state: 'out' } : { state: 'returning', walletId: by };
}

/** Whether the page's own key was signed in with before: it does so again without being asked. */
export const wasKey = (): boolean => localStorage.getItem(remembered) === 'key';

/**
 * Signs in. One signature opens the one connection that everything goes by, so that a wallet asks once and not for each
 * change.
 *
 * @param id by which a wallet is found again
 */
export async function enter(signer: Signer, id: string): Promise<void> {
  const first = await signIn(signer);
  const link = createLink(signer, first, (why) => leave(why));
  localStorage.setItem(remembered, signer.kind === 'key' ? 'key' : id);
  session.set({ state: 'in', signer, link });
}

/** Signs out. @param why said to who did not ask for it */
export function leave(why?: string): void {
  const current = session.get();
  localStorage.removeItem(remembered);
  session.set({ state: 'out', why });
  if (current.state === 'in') current.link.close();
}
