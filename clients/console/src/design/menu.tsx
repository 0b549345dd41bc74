import type { LucideIcon } from 'lucide-react';
import type { ReactElement } from 'react';
import { Header } from 'react-aria-components/Header';
import { Keyboard } from 'react-aria-components/Keyboard';
import { Menu as HeadlessMenu, MenuItem, MenuSection, MenuTrigger } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { Text } from 'react-aria-components/Text';

export interface MenuEntry {
  readonly id: string;
  readonly name: string;
  readonly icon?: LucideIcon;
  /** A second line. */
  readonly about?: string;
  /** Its shortcut, as it is shown. */
  readonly keys?: string;
  readonly isDisabled?: boolean;
  /** Marks what destroys something. */
  readonly isBad?: boolean;
  readonly act: () => void;
}

export interface MenuGroup {
  readonly heading?: string;
  readonly entries: readonly MenuEntry[];
}

interface MenuProps {
  readonly label: string;
  readonly groups: readonly MenuGroup[];
  /** The button that opens the menu. */
  readonly children: ReactElement;
}

/** A button with a menu. Arrow keys move in it, the beginning of a name finds its entry, Escape closes it. */
export function Menu({ label, groups, children }: MenuProps) {
  return (
    <MenuTrigger>
      {children}
      <Popover className="popover">
        <HeadlessMenu className="menu" aria-label={label}>
          {groups.map(({ heading, entries }, at) => (
            <MenuSection key={heading ?? at} aria-label={heading ?? label}>
              {heading !== undefined && <Header className="menu-heading">{heading}</Header>}
              {entries.map(({ id, name, icon: Icon, about, keys, isDisabled = false, isBad, act }) => (
                <MenuItem
                  key={id}
                  id={id}
                  textValue={name}
                  onAction={act}
                  isDisabled={isDisabled}
                  className={isBad === true ? 'menu-item bad' : 'menu-item'}
                >
                  {Icon !== undefined && <Icon className="icon" aria-hidden="true" />}
                  <span className="menu-name">
                    <Text slot="label">{name}</Text>
                    {about !== undefined && (
                      <Text slot="description" className="menu-about">
                        {` ${about}`}
                      </Text>
                    )}
                  </span>
                  {keys !== undefined && <Keyboard>{keys}</Keyboard>}
                </MenuItem>
              ))}
            </MenuSection>
          ))}
        </HeadlessMenu>
      </Popover>
    </MenuTrigger>
  );
}
