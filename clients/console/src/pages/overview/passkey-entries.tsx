import { KeyRound } from 'lucide-react';
import { useEffect, useState } from 'react';
import { StateBadge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { When } from '../../design/when.tsx';
import { changes, somethingChanged } from '../../graph/changes.ts';
import type { Envelope } from '../../graph/envelope.ts';
import { loadCode } from '../../load-code.ts';
import { findPerson, type Person, plane, type WaitingInvite } from '../../session/person.ts';
import { session } from '../../session/session.ts';
import { useStore } from '../../store.ts';

/** What the overview says of a person's passkeys. */
export interface PasskeyNeeds {
  /** Undefined for a member without a person's session. */
  readonly person: Person | undefined;
  /** Invitations that become memberships with the first passkey. */
  readonly waiting: readonly WaitingInvite[];
  /** Whether the person has no passkey at all. */
  readonly hasNone: boolean;
}

/** Looks up the person's passkeys and the invitations that wait for one. It looks again after each change. */
export function usePasskeyNeeds(): PasskeyNeeds {
  const current = useStore(session);
  const person = current.state === 'in' && current.member.kind === 'person' ? current.member : undefined;
  const changed = useStore(changes);
  const [waiting, setWaiting] = useState(person?.waiting ?? []);
  const [hasNone, setHasNone] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: after a change the answers may differ.
  useEffect(() => {
    if (person === undefined) return;
    const keepLast = () => undefined;
    findPerson().then((found) => setWaiting(found?.waiting ?? []), keepLast);
    if (person.readsOnly) return;
    loadCode(() => import('../../session/passkey.ts'))
      .then(({ holdsPasskey }) => holdsPasskey())
      .then((holds) => setHasNone(!holds), keepLast);
  }, [person, changed]);
  return { person, waiting, hasNone: hasNone && waiting.length === 0 };
}

/** Entries of the list of what to look at: invitations that wait for a passkey, or that the person has none. */
export function PasskeyEntries({ needs: { person, waiting, hasNone } }: { readonly needs: PasskeyNeeds }) {
  if (person === undefined || (waiting.length === 0 && !hasNone)) return null;
  return (
    <li className="warn">
      <KeyRound className="icon" aria-hidden="true" />
      <div className="attention-words">
        {waiting.length > 0 ? (
          <>
            <strong>You are invited</strong>
            <ul aria-label="Invitations to you">
              {waiting.map(({ org_id, display_name, role, expires_at }) => (
                <li key={org_id}>
                  <bdi>{display_name ?? 'An unnamed organization'}</bdi> <StateBadge value={role} mood="plain" />
                  {expires_at !== null && (
                    <span className="small quiet">
                      {' '}
                      expires <When at={expires_at} />
                    </span>
                  )}
                </li>
              ))}
            </ul>
            <p className="small quiet">
              Owners and admins need a passkey. Your membership begins when you add your first one.
            </p>
          </>
        ) : (
          <>
            <strong>You have no passkey</strong>
            <p className="small quiet">With a passkey you sign in without a mail, and confirm changes that need one.</p>
          </>
        )}
        <FirstPasskey person={person} isWanted={waiting.length > 0} />
      </div>
    </li>
  );
}

function FirstPasskey({ person, isWanted }: { readonly person: Person; readonly isWanted: boolean }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Envelope>();
  if (person.readsOnly)
    return (
      <p className="small quiet">
        This session is read-only. <a href={`${plane}/account`}>Sign in on your account page</a> to add a passkey.
      </p>
    );
  const add = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const { addPasskey } = await loadCode(() => import('../../session/passkey.ts'));
      await addPasskey(person);
      somethingChanged();
    } catch (refused) {
      setError(refused as Envelope);
    }
    setBusy(false);
  };
  return (
    <>
      <div>
        <Button small variant={isWanted ? 'primary' : 'secondary'} isPending={busy} onPress={() => void add()}>
          Add a passkey
        </Button>
      </div>
      <ErrorNote error={error} />
    </>
  );
}
