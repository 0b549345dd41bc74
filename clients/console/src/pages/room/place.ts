export interface RoomProps {
  readonly org: string;
  readonly room: string;
}

/** Where a page of the room is, and who speaks from it. */
export interface Place extends RoomProps {
  readonly sessionKey: string;
  /** The presence that this browser has in the room, once it has one. */
  readonly me: Me | undefined;
  readonly setMe: (me: Me | undefined) => void;
  /** Whether the caller may send messages here. */
  readonly writes: boolean;
  /** Whether the room takes messages and claims: it is not archived. */
  readonly open: boolean;
}

export interface Me {
  readonly presenceId: string;
  readonly name: string;
}
