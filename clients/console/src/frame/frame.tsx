import { Menu as MenuIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { IconButton } from '../design/button.tsx';
import { Link } from '../router.tsx';
import { Sidebar } from './sidebar.tsx';
import type { Surroundings } from './use-sections.ts';

interface FrameProps {
  readonly around: Surroundings;
  /** What the console's sign leads to. */
  readonly home: string;
  /** What the bar at the top holds beside the sign. */
  readonly bar: ReactNode;
  /** What is said above the page. @default nothing */
  readonly banners?: ReactNode;
  readonly children: ReactNode;
}

/** The bar at the top, the pages at the side, and a page between them. */
export function Frame({ around, home, bar, banners, children }: FrameProps) {
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
          <Link to="/" className="brand" aria-label={home}>
            <img src="/console/favicon.svg" alt="" />
          </Link>
          {bar}
        </header>
        {/* biome-ignore lint/a11y: a press on a link inside closes the menu; the links are what is reached by key. */}
        <nav id="menu" aria-label="Console" className={menu ? 'side is-open' : 'side'} onClick={() => setMenu(false)}>
          <Sidebar around={around} />
        </nav>
        <div className="content">
          {banners}
          <main id="content" tabIndex={-1}>
            {children}
          </main>
        </div>
      </div>
    </>
  );
}
