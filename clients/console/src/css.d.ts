/** Styles of one page alone, which Vite loads with it. */
declare module '*.css';
