/** A person who is signed in with this browser. The session is in a cookie that scripts cannot read. */
export interface Person {
  readonly kind: 'person';
  /** Display name: the person's name, or the address they signed in with. */
  readonly label: string;
  readonly principalId: string;
  /** Token sent with each request. It proves that a page of the gateway sends it. */
  readonly csrf: string;
  /** An operator has read access only. */
  readonly readsOnly: boolean;
  /** Memberships that start once the person has a passkey. */
  readonly waiting: readonly WaitingInvite[];
}

/** An invitation that also requires a passkey. */
export interface WaitingInvite {
  readonly org_id: string;
  readonly display_name: string | null;
  readonly role: string;
  /** Null: it does not expire. */
  readonly expires_at: string | null;
}

interface SessionAnswer {
  readonly person: {
    readonly csrf_token: string;
    readonly principal_id: string;
    readonly display_name: string | null;
    readonly email: string | null;
    readonly reads_only: boolean;
    readonly waiting_for_passkey: readonly WaitingInvite[];
  } | null;
}

/**
 * Loads the person who is signed in with this browser.
 *
 * @throws when the gateway does not answer, or when it or a proxy before it answers with a failure
 */
export async function findPerson(): Promise<Person | undefined> {
  const response = await fetch('/console/session.json');
  if (!response.ok) throw new Error(`The gateway answered ${response.status}.`);
  const { person } = (await response.json()) as SessionAnswer;
  if (person === null || person === undefined) return undefined;
  return {
    kind: 'person',
    label: person.email ?? person.display_name ?? person.principal_id,
    principalId: person.principal_id,
    csrf: person.csrf_token,
    readsOnly: person.reads_only,
    waiting: person.waiting_for_passkey,
  };
}

/** Base path of the endpoints for people's sessions. */
export const plane = '/agent/v1/control-plane';

/**
 * The person with the CSRF token that holds now. It changes when they sign in again in another tab. Without an answer, or
 * with another person there, it stays as it was, and the gateway refuses it.
 */
export async function renewed(person: Person): Promise<Person> {
  const found = await findPerson().catch(() => undefined);
  return found?.principalId === person.principalId ? found : person;
}

/** Ends the session on all pages of this browser, also when this page is closed meanwhile. @throws when it did not end */
export async function endSession(person: Person): Promise<void> {
  if (await revoke(person)) return;
  const found = await findPerson();
  if (found?.principalId !== person.principalId) return;
  // They have signed in again in another tab, where the token is another one.
  if (!(await revoke(found))) throw new Error('The gateway did not end the session.');
}

async function revoke({ csrf }: Person): Promise<boolean> {
  const headers = { 'content-type': 'application/json', 'x-svc-csrf': csrf };
  const path = `${plane}/session/browser/revoke`;
  const response = await fetch(path, { method: 'POST', headers, body: '{}', keepalive: true });
  return response.ok;
}
