import { CircleUser, Keyboard, LogOut, Monitor, Moon, Sun, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button as HeadlessButton } from 'react-aria-components/Button';
import { Button } from '../design/button.tsx';
import { Menu } from '../design/menu.tsx';
import { Modal } from '../design/modal.tsx';
import { Avatar } from '../design/status.tsx';
import { announceFailure } from '../design/toast.tsx';
import { shortId } from '../design/wallet.tsx';
import { loadCode } from '../load-code.ts';
import { go } from '../router.tsx';
import { leaveEverywhere, type Member, signOut } from '../session/session.ts';
import type { Settings } from '../settings.ts';
import { useStore } from '../store.ts';
import { chooseTheme, theme, themes } from './theme.ts';

interface AvatarMenuProps {
  readonly member: Member;
  readonly settings: Settings;
  readonly showShortcuts: () => void;
}

/** Distinguishes the member from others of the same name. */
const whoExactly = (member: Member): string => {
  if (member.kind !== 'person') return shortId(member.address);
  return member.readsOnly ? 'This session only reads' : 'Signed in as a person';
};

const themeIcons = { system: Monitor, light: Sun, dark: Moon } as const;

/** What belongs to the member: account, colours, shortcuts, the way out. */
export function AvatarMenu({ member, settings, showShortcuts }: AvatarMenuProps) {
  const [asks, setAsks] = useState(false);
  const chosen = useStore(theme);
  const close = () => setAsks(false);
  const groups = [
    {
      heading: `${member.label} · ${whoExactly(member)}`,
      entries: [
        { id: 'account', name: 'Your account', icon: CircleUser, act: () => go('/you') },
        { id: 'shortcuts', name: 'Keyboard shortcuts', icon: Keyboard, keys: '?', act: showShortcuts },
      ],
    },
    {
      heading: 'Colors',
      selected: chosen,
      entries: themes.map(({ id, name }) => ({ id, name, icon: themeIcons[id], act: () => chooseTheme(id) })),
    },
    {
      ...(settings.version === '' ? {} : { heading: `Gateway ${settings.version}` }),
      entries: [
        { id: 'out', name: 'Sign out', icon: LogOut, act: () => void signOut() },
        ...(member.kind === 'key'
          ? [{ id: 'throw', name: 'Throw key away', icon: Trash2, isBad: true, act: () => setAsks(true) }]
          : []),
      ],
    },
  ];
  return (
    <>
      <Menu label="Your menu" groups={groups}>
        <HeadlessButton
          className="avatar-button"
          aria-label={`Your menu: ${member.label}`}
          data-address={member.kind === 'person' ? undefined : member.address}
        >
          <Avatar name={member.label} />
        </HeadlessButton>
      </Menu>
      <Modal
        title="Throw this key away?"
        kind="alert"
        isOpen={asks}
        close={close}
        foot={
          <>
            <Button onPress={close}>Keep the key</Button>
            <Button
              variant="danger"
              onPress={() =>
                throwKeyAway().catch((error: Error) => announceFailure('The key was not thrown away.', error.message))
              }
            >
              Throw key away for good
            </Button>
          </>
        }
      >
        <p>
          This browser forgets the key, and nothing brings it back. Organizations of which it is the only owner have no
          owner any more.
        </p>
      </Modal>
    </>
  );
}

async function throwKeyAway(): Promise<void> {
  const { forgetKey } = await loadCode(() => import('../session/throw-away-key.ts'));
  await forgetKey();
  leaveEverywhere();
}
