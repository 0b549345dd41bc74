import './proof.css';
import { KeyRound } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '../design/button.tsx';
import { ErrorNote } from '../design/error-note.tsx';
import { Facts } from '../design/facts.tsx';
import { Modal } from '../design/modal.tsx';
import type { Envelope } from '../graph/envelope.ts';
import { addPasskey, approve, holdsPasskey, knowsPasskeys, openedByNumber, stepUp } from '../session/passkey.ts';
import { plane } from '../session/person.ts';
import type { Question } from '../session/proof.ts';

/** Names a change by its operation class or its action. */
const named: Readonly<Record<string, string>> = {
  'org.create': 'To create an organization',
  'org.rename': 'To rename the organization',
  'org.membership': 'To change who belongs to the organization, and as what',
  'org.invite': 'To change who is invited',
  'org.contacts': 'To change who is paged',
  'channel.route': 'To change which channels are told of events',
  'operator.contact': 'To change where notices go',
  'project.keys': 'To see the keys of the project',
  'project.delete': 'To delete the project for good',
  'project.grants': 'To change how the project is shared',
};

/** Asks a person for the proof that a change needs. The change resumes where it was started. */
export default function ProofDialog({ question: { person, wanted, answer } }: { readonly question: Question }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Envelope>();
  const [hasPasskey, setHasPasskey] = useState<boolean>();
  // If this check fails, the passkey is tried anyway; that reports what is missing.
  useEffect(() => void holdsPasskey().then(setHasPasskey, () => setHasPasskey(true)), []);

  const attempt = async (how: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    try {
      await how();
    } catch (refused) {
      setError(refused as Envelope);
    }
    setBusy(false);
  };
  const show = () =>
    attempt(async () => {
      const has = hasPasskey ?? (await holdsPasskey());
      setHasPasskey(has);
      // Waits until the button says whether it creates a passkey or uses one.
      if (!has && hasPasskey === undefined) return;
      if (!has) {
        await addPasskey(person);
        setHasPasskey(true);
      }
      if (wanted.kind === 'fresh') {
        await stepUp(person, wanted.opClass);
        answer({});
      } else answer({ approval: await approve(person, wanted.action, wanted.target) });
    });
  return (
    <Modal title="Confirm with your passkey" isOpen close={() => answer(undefined)} kind="alert">
      {wanted.kind === 'fresh' ? (
        <p>
          {named[wanted.opClass] ?? `For this (${wanted.opClass})`}, confirm with a passkey that it is you,{' '}
          {person.label}. The confirmation holds for five minutes.
        </p>
      ) : (
        <>
          <p>
            {person.label}, approve this one action on this one target. The approval holds for half an hour without use,
            and for four hours at most.
          </p>
          <Facts
            facts={[
              [
                'Action',
                wanted.action === 'org.project.create' ? 'Create projects in the organization' : wanted.action,
              ],
              ['Target', <code key="target">{Object.values(wanted.target).join(' ')}</code>],
            ]}
          />
        </>
      )}
      <p role="status" className={hasPasskey === false ? 'proof-note' : undefined}>
        {hasPasskey === false &&
          'You have no passkey yet. Create one on this device or on a security key. This change then uses it.'}
      </p>
      <ErrorNote error={error} />
      {!knowsPasskeys() && <p className="proof-note">This browser has no passkeys. Open the console in another one.</p>}
      {openedByNumber() && (
        <p className="proof-note">
          Browsers make passkeys for names alone, and this address is a number. Open the gateway by its name, in
          development as <code>localhost</code>.
        </p>
      )}
      <div className="modal-foot proof-foot">
        <a className="small" href={`${plane}/account`} target="_blank" rel="noreferrer">
          Your account and passkeys
        </a>
        <Button onPress={() => answer(undefined)}>Cancel</Button>
        <Button
          variant="primary"
          icon={KeyRound}
          autoFocus
          isPending={busy}
          isDisabled={!knowsPasskeys()}
          onPress={() => void show()}
        >
          {hasPasskey === false ? 'Add a passkey' : 'Use a passkey'}
        </Button>
      </div>
    </Modal>
  );
}
