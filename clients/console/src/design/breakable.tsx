import { Fragment, type ReactNode } from 'react';

/** A path, a name or an address that breaks between its parts where it has no room, and not inside a word. */
export const breakable = (address: string): ReactNode =>
  address.split(/(?<=[^/])(?=[/?&])|(?<==)|(?<=[.:])(?=[^/])/).map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names, and never move.
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ));
