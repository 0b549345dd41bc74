import { Card } from '../parts/card.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Page } from '../parts/page.tsx';
import { openedByNumber } from '../session/passkey.ts';
import { session } from '../session/session.ts';
import { useStore } from '../store.ts';

/** Pages that the gateway itself serves. */
const pages = [
  [
    '/agent/v1/control-plane/sign-in',
    'Sign in as a person',
    'By a link in a mail, a passkey, a social account or a recovery code. An invitation by mail is taken up by it.',
  ],
  [
    '/agent/v1/control-plane/account',
    'Your account and passkeys',
    'What you sign in with; add a passkey, confirm that it is you, have recovery codes made, sign out.',
  ],
  [
    '/agent/v1/control-plane/account/sessions',
    'Your sessions and approvals',
    'Where you are signed in, and which changes you have approved; end what you do not know.',
  ],
  [
    '/agent/v1/operator/device',
    'Let a device in',
    'Type in the code that a terminal or a device shows. What it gets only reads.',
  ],
] as const;

const commands = [
  ['svc operator login', 'A session that only reads. It shows the code for “Let a device in”.'],
  ['svc operator login --loopback', 'A session that changes things: a browser on that machine, and your passkey.'],
  ['svc operator login --step-up', 'Shows the passkey again, where a change was refused with STEP_UP_REQUIRED.'],
  [
    'svc operator approve --action org.project.create --org ORG_ID',
    'Approves new projects in one organization. It opens a page that names the action and its target, and asks for your passkey.',
  ],
  ['svc operator approve --action project.deploy --project PROJECT_ID', 'Approves deploying to one project.'],
  [
    'svc operator approve --action project.secret.write --project PROJECT_ID',
    'Approves writing the secrets of one project.',
  ],
  ['svc operator status', 'Sessions and approvals that the terminal keeps, and until when they hold.'],
  ['svc operator claim-wallet-org', 'Makes you an owner of what the wallet in use owns.'],
  ['svc operator logout', 'Ends those sessions, and the approvals with them.'],
] as const;

/** Links to the pages where a person signs in to the platform itself and approves single changes. */
export default function You() {
  const current = useStore(session);
  const byPerson = current.state === 'in' && current.member.kind === 'person';
  return (
    <Page
      title="Sign-in and approvals"
      lead={
        byPerson
          ? 'You are in as a person. What you sign in with is kept on pages of the gateway itself; changes that take a passkey ask for it where you make them.'
          : 'You are in with a wallet, which needs none of this. As a person you sign in by mail or passkey, here in the console or on pages of the gateway itself.'
      }
    >
      <Card title="In this browser">
        {openedByNumber() && (
          <p className="note warn">
            Browsers make passkeys for names alone, and this address is a number. Open the gateway by its name, in
            development as <code>localhost</code>.
          </p>
        )}
        <ul className="list" aria-label="In this browser">
          {pages.map(([path, name, about]) => (
            <li key={path}>
              <a href={path}>{name}</a>
              <p className="quiet small">{about}</p>
            </li>
          ))}
        </ul>
      </Card>
      <Card title="At a terminal">
        <p>
          Approvals and fresh proofs are asked for by <code>svc</code>, which opens the page that gives them. An
          approval is for one action on one target; it ends after half an hour without use and after four hours anyway.
        </p>
        <ul className="list" aria-label="At a terminal">
          {commands.map(([command, about]) => (
            <li key={command} className="stack">
              <div className="line">
                <code className="grows">{command}</code>
                <CopyButton what={command} text={command} />
              </div>
              <p className="quiet small">{about}</p>
            </li>
          ))}
        </ul>
      </Card>
    </Page>
  );
}
