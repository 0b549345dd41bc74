import { type ReactElement, useRef } from 'react';
import { Menu as HeadlessMenu, MenuTrigger } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { type MenuGroup, MenuGroups } from './menu-entries.tsx';

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
      <Popover className="popover" placement="bottom end">
        <Entries label={label} groups={groups} />
      </Popover>
    </MenuTrigger>
  );
}

interface MenuAtProps extends Omit<MenuProps, 'children'> {
  /** The menu opens below it. */
  readonly anchor: HTMLElement;
  readonly close: () => void;
}

/** An open menu beside an element that is no button of React Aria. */
export function MenuAt({ label, groups, anchor, close }: MenuAtProps) {
  const at = useRef(anchor);
  at.current = anchor;
  return (
    <Popover
      className="popover"
      aria-label={label}
      triggerRef={at}
      isOpen
      onOpenChange={(isOpen) => !isOpen && close()}
      placement="bottom end"
    >
      <Entries label={label} groups={groups} close={close} />
    </Popover>
  );
}

interface EntriesProps extends Omit<MenuProps, 'children'> {
  readonly close?: () => void;
}

function Entries({ label, groups, close }: EntriesProps) {
  return (
    <HeadlessMenu
      className="menu"
      aria-label={label}
      {...(close === undefined ? {} : { autoFocus: 'first' as const, onClose: close })}
    >
      <MenuGroups label={label} groups={groups} />
    </HeadlessMenu>
  );
}
