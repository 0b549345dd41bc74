import { Search } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { Toasts } from '../design/toast.tsx';
import type { Link as Connection } from '../graph/link.ts';
import { ProofPrompt } from '../proof/proof-prompt.tsx';
import { go } from '../router.tsx';
import type { Member } from '../session/session.ts';
import type { Settings } from '../settings.ts';
import { AvatarMenu } from './avatar-menu.tsx';
import { ConnectionBanner } from './connection-banner.tsx';
import { Frame } from './frame.tsx';
import { Palette } from './palette.tsx';
import { ShortcutList } from './shortcut-list.tsx';
import { commandKey, useShortcuts } from './shortcuts.ts';
import { Switchers } from './switchers.tsx';
import { UpgradeBanner } from './upgrade-banner.tsx';
import { useSurroundings } from './use-sections.ts';

interface ShellProps {
  readonly member: Member;
  readonly link: Connection;
  readonly settings: Settings;
  readonly path: string;
  readonly children: ReactNode;
}

/** Moves the focus to the search field of the page. */
const focusSearch = () =>
  document.querySelector<HTMLElement>('main input[type=search], main [role=searchbox]')?.focus();

/** The frame of every page: where it is, what is around it, the member, and the state of the connection. */
export function Shell({ member, link, settings, path, children }: ShellProps) {
  const around = useSurroundings(path);
  const [over, setOver] = useState<'palette' | 'shortcuts'>();
  const closeOver = () => setOver(undefined);
  const items = around.sections.flatMap((section) => section.items);
  useShortcuts(
    new Map([
      ['mod+k', () => setOver(over === 'palette' ? undefined : 'palette')],
      ['?', () => setOver('shortcuts')],
      ['/', focusSearch],
      ...items.flatMap(({ key, to }) => (key === undefined ? [] : [[`g ${key}`, () => go(to)] as const])),
    ]),
  );
  return (
    <>
      <Frame
        around={around}
        home="Overview"
        bar={
          <>
            <Switchers around={around} />
            <Button
              className="palette-button"
              onPress={() => setOver('palette')}
              aria-label={`Search or run a command ${commandKey}K`}
            >
              <Search className="icon" aria-hidden="true" />
              <span>Search or run a command</span> <kbd>{commandKey}K</kbd>
            </Button>
            <AvatarMenu member={member} settings={settings} showShortcuts={() => setOver('shortcuts')} />
          </>
        }
        banners={
          <>
            <ConnectionBanner link={link} label={member.label} />
            <UpgradeBanner />
            {member.kind === 'person' && member.readsOnly && (
              <p className="banner is-quiet">
                This session only reads. Sign in here with a passkey to change anything.
              </p>
            )}
          </>
        }
      >
        {children}
      </Frame>
      <Palette
        isOpen={over === 'palette'}
        close={closeOver}
        around={around}
        showShortcuts={() => setOver('shortcuts')}
      />
      <ShortcutList isOpen={over === 'shortcuts'} close={closeOver} items={items} />
      <ProofPrompt />
      <Toasts />
    </>
  );
}
