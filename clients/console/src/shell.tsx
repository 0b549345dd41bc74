import { type ReactNode, useState } from 'react';
import type { Link as Connection } from './graph/link.ts';
import { ConnectionBanner } from './parts/connection-banner.tsx';
import { ProofAsked } from './parts/proof-asked.tsx';
import { ThemeSwitch } from './parts/theme-switch.tsx';
import { Link, match } from './router.tsx';
import { plane } from './session/person.ts';
import { leave, type Member, signOut } from './session/session.ts';
import type { Settings } from './settings.ts';

interface ShellProps {
  readonly member: Member;
  readonly link: Connection;
  readonly settings: Settings;
  readonly path: string;
  readonly children: ReactNode;
}

/** The organization that a page is about, by its address. */
const orgOf = (path: string) => match('/orgs/:org', path.split('/').slice(0, 3).join('/'))?.org;

async function throwKeyAway(): Promise<void> {
  const { forgetKey } = await import('./session/throw-away-key.ts');
  await forgetKey();
  leave();
}

/** What stands around every page: where one may go, who one is, and how the connection is. */
export function Shell({ member, link, settings, path, children }: ShellProps) {
  const [open, setOpen] = useState(false);
  const org = orgOf(path);
  return (
    <>
      <a className="skip" href="#content">
        Skip to content
      </a>
      <div className="shell">
        <header className={open ? 'side is-open' : 'side'}>
          <div className="side-top">
            <Link to="/" className="brand">
              <img src="/console/favicon.svg" alt="" />
              Console
            </Link>
            <button
              type="button"
              className="menu-button"
              aria-expanded={open}
              aria-controls="menu"
              onClick={() => setOpen(!open)}
            >
              Menu
            </button>
          </div>
          {/* biome-ignore lint/a11y: a press on a link inside closes the menu; the links are what is reached by key. */}
          <nav id="menu" aria-label="Console" onClick={() => setOpen(false)}>
            <div>
              <Link to="/">Overview</Link>
              <Link to="/orgs">Organizations</Link>
              <Link to="/audits">Audits</Link>
              <Link to="/outbox">Outbox</Link>
              <Link to="/you">Sign-in and approvals</Link>
            </div>
            {org !== undefined && (
              <div>
                <h2>This organization</h2>
                <Link to={`/orgs/${org}`}>Projects and members</Link>
                <Link to={`/orgs/${org}/rooms`}>Rooms</Link>
                <Link to={`/orgs/${org}/events`}>Events</Link>
                <Link to={`/orgs/${org}/escalations`}>Escalations</Link>
              </div>
            )}
          </nav>
          <div className="side-foot">
            <ThemeSwitch />
            <div>
              <p>{member.label}</p>
              <p className="quiet">
                <WhoExactly member={member} />
              </p>
            </div>
            <div className="row">
              <button type="button" className="slim" onClick={() => void signOut()}>
                Sign out
              </button>
              {member.kind === 'key' && (
                <button type="button" className="slim" onClick={() => void throwKeyAway()}>
                  Throw key away
                </button>
              )}
            </div>
            {settings.version !== '' && <p className="quiet">Gateway {settings.version}</p>}
          </div>
        </header>
        <div>
          <ConnectionBanner link={link} label={member.label} />
          <main id="content" tabIndex={-1}>
            {children}
          </main>
        </div>
      </div>
      <ProofAsked />
    </>
  );
}

/** What tells somebody from others of the same name. */
function WhoExactly({ member }: { readonly member: Member }) {
  if (member.kind !== 'person')
    return <code title={member.address}>{`${member.address.slice(0, 8)}…${member.address.slice(-6)}`}</code>;
  return member.readsOnly ? 'This session only reads.' : <a href={`${plane}/account`}>Account and passkeys</a>;
}
