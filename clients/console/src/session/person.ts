/** A person who is signed in with this browser: the session lives in a cookie that no script can read. */
export interface Person {
  readonly kind: 'person';
  /** What people call them: the address they signed in with, or their name. */
  readonly label: string;
  readonly principalId: string;
  /** Goes with what is sent, and shows that a page of the gateway sends it. */
  readonly csrf: string;
  /** An operator looks on. */
  readonly readsOnly: boolean;
  /** What begins once they have a passkey. */
  readonly waiting: readonly WaitingInvite[];
}

/** A membership that somebody was invited to, and that takes a passkey as well. */
export interface WaitingInvite {
  readonly org_id: string;
  readonly display_name: string | null;
  readonly role: string;
  /** Null: it does not expire. */
  readonly expires_at: string | null;
}

interface Told {
  readonly person: {
    readonly csrf_token: string;
    readonly principal_id: string;
    readonly display_name: string | null;
    readonly email: string | null;
    readonly reads_only: boolean;
    readonly waiting_for_passkey: readonly WaitingInvite[];
  } | null;
}

/** Asks who is signed in with this browser. @throws when the gateway does not answer */
export async function findPerson(): Promise<Person | undefined> {
  const response = await fetch('/console/session.json');
  const { person } = (await response.json()) as Told;
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

/** Paths of people’s sessions. */
export const plane = '/agent/v1/control-plane';

/** Ends the session, for every page of this browser. @throws when the gateway does not answer */
export async function endSession({ csrf }: Person): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-svc-csrf': csrf };
  await fetch(`${plane}/session/browser/revoke`, { method: 'POST', headers, body: '{}' });
}
