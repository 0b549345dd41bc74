import { createStore } from './store.ts';

/** The gateway's settings for the console. */
export interface Settings {
  /** Whether a page may sign in with a key that it generates. */
  readonly throwAwayKeys: boolean;
  /** Whether the gateway sends mail; otherwise mail remains in the outbox. */
  readonly sendsMail: boolean;
  readonly version: string;
  /** Where the gateway expects to be opened: what lets the console embed it is told this origin. */
  readonly origin: string;
}

/** The settings; until they are loaded, those that always work. */
export const settings = createStore<Settings>({ throwAwayKeys: false, sendsMail: true, version: '', origin: '' });

/** @throws when the gateway does not answer, or when it or a proxy before it answers with a failure */
export async function loadSettings(): Promise<void> {
  const response = await fetch('/console/config.json');
  if (!response.ok) throw new Error(`The gateway answered ${response.status}.`);
  const { throw_away_keys, sends_mail, version, origin } = await response.json();
  settings.set({
    throwAwayKeys: throw_away_keys === true,
    sendsMail: sends_mail !== false,
    version: String(version),
    origin: String(origin),
  });
}
