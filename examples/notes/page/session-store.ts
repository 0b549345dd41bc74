export interface Session {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly user: { readonly email: string };
}

/**
 * Where a session outlives the page, one for all tabs. In IndexedDB and not in `localStorage`: of that each process of
 * the browser has a copy, which learns a little late what another one wrote, and whoever holds a lock could still read
 * a refresh token that is used up. A transaction sees whatever was committed before it began.
 */
export class SessionStore {
  readonly #name: string;
  readonly #database: Promise<IDBDatabase>;

  /** @param name tells it from those of other apps under the same origin */
  constructor(name: string) {
    this.#name = name;
    const opening = indexedDB.open('notes', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore('sessions');
    this.#database = resultOf(opening);
  }

  async read(): Promise<Session | undefined> {
    const sessions = (await this.#database).transaction('sessions').objectStore('sessions');
    return resultOf<Session | undefined>(sessions.get(this.#name));
  }

  /** Keeps a session, or none. */
  async write(session: Session | undefined): Promise<void> {
    const transaction = (await this.#database).transaction('sessions', 'readwrite');
    const sessions = transaction.objectStore('sessions');
    if (session === undefined) sessions.delete(this.#name);
    else sessions.put(session, this.#name);
    await new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
    });
  }
}

const resultOf = <Result>(request: IDBRequest<Result>): Promise<Result> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
