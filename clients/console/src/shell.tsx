import { type ReactNode, useState } from 'react';
import { Toasts } from './design/toast.tsx';
import type { Link as Connection } from './graph/link.ts';
import { Menu } from './menu.tsx';
import { ConnectionBanner } from './parts/connection-banner.tsx';
import { ProofPrompt } from './parts/proof-prompt.tsx';
import { Sure } from './parts/sure.tsx';
import { ThemeSwitch } from './parts/theme-switch.tsx';
import { Link } from './router.tsx';
import { plane } from './session/person.ts';
import { leaveEverywhere, type Member, signOut } from './session/session.ts';
import type { Settings } from './settings.ts';

interface ShellProps {
  readonly member: Member;
  readonly link: Connection;
  readonly settings: Settings;
  readonly path: string;
  readonly children: ReactNode;
}

async function throwKeyAway(): Promise<void> {
  const { forgetKey } = await import('./session/throw-away-key.ts');
  await forgetKey();
  leaveEverywhere();
}

/** The frame of every page: the navigation, the member, and the state of the connection. */
export function Shell({ member, link, settings, path, children }: ShellProps) {
  const [open, setOpen] = useState(false);
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
            <Menu path={path} />
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
                <Sure className="slim" really="Really throw the key away for good" run={throwKeyAway}>
                  Throw key away
                </Sure>
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
      <ProofPrompt />
      <Toasts />
    </>
  );
}

/** Distinguishes the member from others of the same name. */
function WhoExactly({ member }: { readonly member: Member }) {
  if (member.kind !== 'person')
    return <code title={member.address}>{`${member.address.slice(0, 8)}…${member.address.slice(-6)}`}</code>;
  return member.readsOnly ? 'This session only reads.' : <a href={`${plane}/account`}>Account and passkeys</a>;
}
