/** What the gateway says of itself to the console. */
export interface Settings {
  /** Whether a page may sign in with a key that it makes for itself. */
  readonly throwAwayKeys: boolean;
  readonly version: string;
}

/** Asked once, before anything is shown. A gateway that does not answer offers what is always right: wallets. */
export async function loadSettings(): Promise<Settings> {
  try {
    const response = await fetch('/console/config.json');
    const { throw_away_keys, version } = await response.json();
    return { throwAwayKeys: throw_away_keys === true, version: String(version) };
  } catch {
    return { throwAwayKeys: false, version: '' };
  }
}
