import { Fingerprint, LogIn, type LucideIcon, MonitorSmartphone, SquareArrowOutUpRight, Terminal } from 'lucide-react';
import { Section } from '../../design/section.tsx';
import { openedByNumber } from '../../session/passkey.ts';

interface PageLink {
  readonly to: string;
  readonly name: string;
  readonly about: string;
  readonly icon: LucideIcon;
}

/** Pages that the gateway itself serves. */
const links: readonly PageLink[] = [
  {
    to: '/agent/v1/control-plane/account',
    name: 'Your account and passkeys',
    about: 'Add a passkey, mail addresses and social accounts; make recovery codes.',
    icon: Fingerprint,
  },
  {
    to: '/agent/v1/control-plane/account/sessions',
    name: 'Your sessions and approvals',
    about: 'See your sessions and the changes that you approved. End each session that you do not recognize.',
    icon: MonitorSmartphone,
  },
  {
    to: '/agent/v1/operator/device',
    name: 'Let a device in',
    about: 'Enter the code that a terminal or a device shows. Its session can read and cannot change anything.',
    icon: Terminal,
  },
  {
    to: '/agent/v1/control-plane/sign-in',
    name: 'Sign in as a person',
    about: 'By a link in a mail, a passkey, a social account or a recovery code. It takes up an invitation by mail.',
    icon: LogIn,
  },
];

/** Pages for what a person signs in with. They work without the console, too. */
export const SignInLinks = () => (
  <Section title="In this browser" about="Pages of the gateway itself, which work without the console, too.">
    {openedByNumber() && (
      <p className="you-note">
        Browsers make passkeys for names alone, and this address is a number. Open the gateway by its name, in
        development as <code>localhost</code>.
      </p>
    )}
    <ul className="page-links" aria-label="In this browser">
      {links.map(({ to, name, about, icon: Icon }) => (
        <li key={to}>
          <Icon className="icon" aria-hidden="true" />
          <div>
            <a href={to}>{name}</a>
            <p className="quiet small">{about}</p>
          </div>
          <SquareArrowOutUpRight className="icon quiet" aria-hidden="true" />
        </li>
      ))}
    </ul>
  </Section>
);
