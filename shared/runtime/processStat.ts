/**
 * The number of the first field after the process name. The process name is in parentheses, and may contain blanks and
 * parentheses.
 */
const firstFieldAfterName = 3;

/**
 * A field of Linux's process status, by its number in proc_pid_stat(5).
 * @param stat the text of `/proc/<pid>/stat`
 * @param field the number of the field, 3 or more
 */
export function statField(stat: string, field: number): string | undefined {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[field - firstFieldAfterName];
}
