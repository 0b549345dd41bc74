/** The gateway's settings for the console. */
export interface Settings {
  /** Whether a page may sign in with a key that it generates. */
  readonly throwAwayKeys: boolean;
  /** Whether the gateway sends mail; otherwise mail remains in the outbox. */
  readonly sendsMail: boolean;
  readonly version: string;
}

/** Called once, before the page shows anything. Without an answer only wallets are offered, which always work. */
export async function loadSettings(): Promise<Settings> {
  try {
    const response = await fetch('/console/config.json');
    const { throw_away_keys, sends_mail, version } = await response.json();
    return { throwAwayKeys: throw_away_keys === true, sendsMail: sends_mail !== false, version: String(version) };
  } catch {
    return { throwAwayKeys: false, sendsMail: true, version: '' };
  }
}
