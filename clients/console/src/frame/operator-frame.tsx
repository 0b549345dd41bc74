import { LogIn, Menu as MenuIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button, IconButton } from '../design/button.tsx';
import { Toasts } from '../design/toast.tsx';
import { go, Link } from '../router.tsx';
import { installationSection } from './sections.ts';
import { Sidebar } from './sidebar.tsx';

/** Pages that the admin key alone opens: whoever sets a gateway up has it before anybody can sign in. */
export const opensByKey = (path: string): boolean => path === '/installation' || path.startsWith('/installation/');

const around = {
  place: { kind: 'installation' },
  project: undefined,
  organization: undefined,
  sections: [{ ...installationSection, items: installationSection.items.filter(({ to }) => opensByKey(to)) }],
} as const;

/** The frame of the installation's pages for somebody who is not signed in. */
export function OperatorFrame({ children }: { readonly children: ReactNode }) {
  const [menu, setMenu] = useState(false);
  return (
    <>
      <a className="skip" href="#content">
        Skip to content
      </a>
      <div className="frame">
        <header className="top-bar">
          <IconButton
            icon={MenuIcon}
            label="Menu"
            aria-expanded={menu}
            aria-controls="menu"
            onPress={() => setMenu(!menu)}
          />
          <Link to="/" className="brand" aria-label="Sign-in page">
            <img src="/console/favicon.svg" alt="" />
          </Link>
          <span className="to-sign-in">
            <Button icon={LogIn} small onPress={() => go('/')}>
              Sign in
            </Button>
          </span>
        </header>
        {/* biome-ignore lint/a11y: a press on a link inside closes the menu; the links are what is reached by key. */}
        <nav id="menu" aria-label="Console" className={menu ? 'side is-open' : 'side'} onClick={() => setMenu(false)}>
          <Sidebar around={around} />
        </nav>
        <div className="content">
          <main id="content" tabIndex={-1}>
            {children}
          </main>
        </div>
      </div>
      <Toasts />
    </>
  );
}
