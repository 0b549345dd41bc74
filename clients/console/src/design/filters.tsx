import './list-parts.css';
import type { ReactNode } from 'react';
import { Toolbar } from './toolbar.tsx';

interface FiltersProps {
  /** Labelled fields. Each applies at once. */
  readonly children: ReactNode;
  /** Controls at the right. */
  readonly end?: ReactNode;
}

/** Fields above a list that decide which rows it shows. */
export const Filters = ({ children, end }: FiltersProps) => (
  <Toolbar label="Filter" end={end}>
    <div className="filters">{children}</div>
  </Toolbar>
);
