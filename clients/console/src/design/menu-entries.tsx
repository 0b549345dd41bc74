import { Check, type LucideIcon } from 'lucide-react';
import { Header } from 'react-aria-components/Header';
import { Keyboard } from 'react-aria-components/Keyboard';
import { MenuItem, MenuSection } from 'react-aria-components/Menu';
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
  /** The id of the entry in force, where the group is a choice of one. */
  readonly selected?: string;
}

interface MenuGroupsProps {
  /** Names a group that has no heading. */
  readonly label: string;
  readonly groups: readonly MenuGroup[];
  /** Called before an entry acts. */
  readonly beforeAct?: () => void;
}

/** The groups of a menu, each a section of it. */
export function MenuGroups({ label, groups, beforeAct }: MenuGroupsProps) {
  return groups.map(({ heading, entries, selected }, at) => (
    <MenuSection
      key={heading ?? at}
      id={`section ${heading ?? at}`}
      aria-label={heading ?? label}
      {...(selected === undefined ? {} : { selectionMode: 'single', selectedKeys: [selected] })}
    >
      {heading !== undefined && <Header className="menu-heading">{heading}</Header>}
      {entries.map(({ id, name, icon: Icon, about, keys, isDisabled = false, isBad, act }) => (
        <MenuItem
          key={id}
          id={id}
          textValue={name}
          isDisabled={isDisabled}
          className={isBad === true ? 'menu-item bad' : 'menu-item'}
          onAction={() => {
            beforeAct?.();
            act();
          }}
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
          {id === selected && <Check className="icon" aria-hidden="true" />}
        </MenuItem>
      ))}
    </MenuSection>
  ));
}
