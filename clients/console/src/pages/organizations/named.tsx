import './organizations.css';
import { Avatar } from '../../design/status.tsx';

interface NamedProps {
  readonly name: string;
  /** For organizations and projects. @default false */
  readonly square?: boolean;
}

/** The digits of a wallet's address tell it from others; its beginning is that of all. */
export const lettersOf = (name: string): string => (name.startsWith('0x') ? `${name[2]} ${name[3]}` : name);

/** A name behind its letters. A name without room is cut off with an ellipsis; the whole of it is a tooltip. */
export const Named = ({ name, square = false }: NamedProps) => (
  <span className="named" title={name}>
    <Avatar name={lettersOf(name)} square={square} />
    <span>{name}</span>
  </span>
);
