import { Page } from '../../design/page.tsx';
import { session } from '../../session/session.ts';
import { useStore } from '../../store.ts';
import { Notices } from './notices.tsx';
import { Profile } from './profile.tsx';
import { SignInLinks } from './sign-in-links.tsx';
import { TerminalCommands } from './terminal-commands.tsx';
import './you.css';

/** The member's own page: profile, ways to sign in, sessions and approvals, and where notices go. */
export default function You() {
  const current = useStore(session);
  const byPerson = current.state === 'in' && current.member.kind === 'person';
  return (
    <Page
      title="Your account"
      lead={
        byPerson
          ? 'You are signed in as a person. Changes that take a passkey ask for it where you make them.'
          : 'You are signed in with a wallet. You can also sign in as a person, by mail or passkey.'
      }
    >
      <Profile />
      <Notices />
      <SignInLinks />
      <TerminalCommands />
    </Page>
  );
}
