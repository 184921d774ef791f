import {playPart} from './play-seeds.ts'

playPart(4)
