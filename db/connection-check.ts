/** What a new connection is asked, and the look at its answer. */
export interface ConnectionCheck {
  /** Selects one text as `history`. */
  readonly text: string;
  /** Whether a connection that answered so may be used as it is. */
  readonly isCurrent: (history: string | null) => boolean;
  /**
   * Makes a connection of another history usable: feeds begin a new epoch before anything is read on it.
   *
   * @throws an error that counts as a lost connection when the server is a standby
   */
  readonly admit: (history: string | null, client: Asked) => Promise<void>;
}

/** As much of a connection as is needed here. */
export interface Asked {
  readonly query: <Row extends object>(text: string, values?: unknown[]) => Promise<{ rows: Row[] }>;
}
