import { useEffect, useState } from 'react';
import { changes, somethingChanged } from '../graph/changes.ts';
import type { Envelope } from '../graph/envelope.ts';
import { Card } from '../parts/card.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Tag } from '../parts/tag.tsx';
import { When } from '../parts/when.tsx';
import { findPerson, type Person, plane, type WaitingInvite } from '../session/person.ts';
import { session } from '../session/session.ts';
import { useStore } from '../store.ts';

/** The member's invitations that wait only for a passkey. */
export function useWaiting(): readonly WaitingInvite[] {
  const current = useStore(session);
  const person = current.state === 'in' && current.member.kind === 'person' ? current.member : undefined;
  const changed = useStore(changes);
  const [waiting, setWaiting] = useState(person?.waiting ?? []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `changed` says that it may be otherwise by now.
  useEffect(() => {
    if (person === undefined) return;
    findPerson().then(
      (found) => setWaiting(found?.waiting ?? []),
      // Keeps the last known invitations.
      () => undefined,
    );
  }, [person, changed]);
  return waiting;
}

/** Tells an invited owner or admin without a passkey that they need one to sign in. */
export function Waiting({ invites }: { readonly invites: readonly WaitingInvite[] }) {
  const current = session.get();
  if (invites.length === 0 || current.state !== 'in' || current.member.kind !== 'person') return null;
  return (
    <Card title="You are invited">
      <ul className="list" aria-label="Invitations to you">
        {invites.map((invite) => (
          <li key={invite.org_id} className="line">
            <span className="grows">{invite.display_name ?? 'An unnamed organization'}</span>
            <Tag value={invite.role} mood="plain" />
            {invite.expires_at !== null && (
              <span className="small quiet">
                expires <When at={invite.expires_at} />
              </span>
            )}
          </li>
        ))}
      </ul>
      <p>
        Owners and admins have a passkey as well, and you have none yet. You belong to{' '}
        {invites.length === 1 ? 'it' : 'them'} as soon as you have one.
      </p>
      <FirstPasskey person={current.member} />
    </Card>
  );
}

function FirstPasskey({ person }: { readonly person: Person }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Envelope>();
  if (person.readsOnly)
    return (
      <p className="quiet">
        This session only reads. <a href={`${plane}/account`}>Sign in on your account’s page</a> to add one.
      </p>
    );
  const add = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const { addPasskey } = await import('../session/passkey.ts');
      await addPasskey(person);
      somethingChanged();
    } catch (refused) {
      setError(refused as Envelope);
    }
    setBusy(false);
  };
  return (
    <>
      <div className="row">
        <button type="button" className="main" disabled={busy} onClick={() => void add()}>
          Add a passkey
        </button>
        <a className="small" href={`${plane}/account`}>
          Your account and passkeys
        </a>
      </div>
      <ErrorNote error={error} />
    </>
  );
}
