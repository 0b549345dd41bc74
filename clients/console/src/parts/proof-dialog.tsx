import { useEffect, useState } from 'react';
import type { Envelope } from '../graph/envelope.ts';
import { addPasskey, approve, holdsPasskey, knowsPasskeys, openedByNumber, stepUp } from '../session/passkey.ts';
import { plane } from '../session/person.ts';
import type { Question } from '../session/proof.ts';
import { Dialog } from './dialog.tsx';
import { ErrorNote } from './error-note.tsx';

/** Names a change by its operation class or its action. */
const named: Readonly<Record<string, string>> = {
  'org.create': 'To create an organization',
  'org.rename': 'To rename the organization',
  'org.membership': 'To change who belongs to the organization, and as what',
  'org.invite': 'To change who is invited',
  'org.contacts': 'To change who is paged',
  'operator.contact': 'To change where notices go',
  'project.keys': 'To see the keys of the project',
  'project.delete': 'To delete the project for good',
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
    <Dialog title="Confirm with your passkey" close={() => answer(undefined)}>
      {wanted.kind === 'fresh' ? (
        <p>
          {named[wanted.opClass] ?? `For this (${wanted.opClass})`}, {person.label} shows a passkey. It holds for five
          minutes.
        </p>
      ) : (
        <>
          <p>
            {person.label} approves this one action on this one target. It holds for half an hour without use, and for
            four hours at most.
          </p>
          <dl className="facts">
            <dt>Action</dt>
            <dd>{wanted.action === 'org.project.create' ? 'Create projects in the organization' : wanted.action}</dd>
            <dt>Target</dt>
            <dd>
              <code>{Object.values(wanted.target).join(' ')}</code>
            </dd>
          </dl>
        </>
      )}
      <p role="status" className={hasPasskey === false ? 'note warn' : undefined}>
        {hasPasskey === false &&
          'You have no passkey yet. Create one on this device or on a security key. This change then uses it.'}
      </p>
      <ErrorNote error={error} />
      {!knowsPasskeys() && <p className="note warn">This browser knows no passkeys.</p>}
      {openedByNumber() && (
        <p className="note warn">
          Browsers make passkeys for names alone, and this address is a number. Open the gateway by its name, in
          development as <code>localhost</code>.
        </p>
      )}
      <div className="row">
        <button type="button" className="main" disabled={busy || !knowsPasskeys()} onClick={() => void show()}>
          {hasPasskey === false ? 'Add a passkey' : 'Use a passkey'}
        </button>
        <button type="button" onClick={() => answer(undefined)}>
          Cancel
        </button>
        <a className="small" href={`${plane}/account`} target="_blank" rel="noreferrer">
          Your account and passkeys
        </a>
      </div>
    </Dialog>
  );
}
