import type { Manifest } from './manifest-shape.ts';

/** What of a manifest has the shape of one, and where in what was given each entry of it stands. */
export interface Sound {
  readonly manifest: Manifest;
  readonly places: Places;
}

export interface Places {
  readonly tables: readonly number[];
  readonly views: readonly number[];
  readonly rpcs: readonly number[];
}

/** A manifest that is one as a whole. */
export const wholly = (manifest: Manifest): Sound => ({
  manifest,
  places: {
    tables: [...manifest.tables.keys()],
    views: [...manifest.views.keys()],
    rpcs: [...manifest.rpcs.keys()],
  },
});
