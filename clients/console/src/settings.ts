/** What the gateway says of itself to the console. */
export interface Settings {
  /** Whether a page may sign in with a key that it makes for itself. */
  readonly throwAwayKeys: boolean;
  /** Whether mail goes out; else it waits in the outbox. */
  readonly sendsMail: boolean;
  readonly version: string;
}

/** Asked once, before anything is shown. A gateway that does not answer offers what is always right: wallets. */
export async function loadSettings(): Promise<Settings> {
  try {
    const response = await fetch('/console/config.json');
    const { throw_away_keys, sends_mail, version } = await response.json();
    return { throwAwayKeys: throw_away_keys === true, sendsMail: sends_mail !== false, version: String(version) };
  } catch {
    return { throwAwayKeys: false, sendsMail: true, version: '' };
  }
}
