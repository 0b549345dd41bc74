/** Where the runner tells what it did. Facts never hold the password. */
export type Log = (message: string, facts?: Record<string, unknown>) => void;
